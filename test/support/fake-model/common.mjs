/** Helpers that the codecs of the model APIs share. */

let counter = 0;

/** Ids that are unique within the process and easy to recognise in logs. */
export function newId(prefix) {
  counter += 1;
  return `${prefix}fake${String(counter).padStart(8, '0')}`;
}

/** Cuts a text into pieces of at most `size` characters, never inside a surrogate pair. */
export function pieces(text, size) {
  const out = [];
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + size, text.length);
    const code = text.charCodeAt(end - 1);
    if (end < text.length && code >= 0xd800 && code <= 0xdbff) end += 1;
    out.push(text.slice(start, end));
    start = end;
  }
  return out;
}

/** Text of a content value that may be a string or a list of parts. */
export function contentText(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (typeof part === 'string' ? part : (part?.text ?? '')))
    .filter(Boolean)
    .join('\n');
}

/** Server-sent-event frame with an event name. */
export const namedFrame = (event, data) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Server-sent-event frame without an event name. */
export const plainFrame = (data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
