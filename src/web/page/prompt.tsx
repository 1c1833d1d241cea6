import { visibleLabel } from '../../foundation/text/visible-text.js';
import { type Block, blocksOf, type Span, spansOf } from './prompt-blocks.js';

/** What an agent wrote, as text: code, lists and emphasis are only styled, and nothing is a link. */
export function Prompt({ text, id }: { text: string; id?: string }) {
  return (
    <div class="prompt" id={id}>
      {blocksOf(text).map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  if (block.kind === 'code')
    return (
      <figure class="code-block">
        {block.name === '' ? null : <figcaption>{block.name}</figcaption>}
        <pre>
          <code>{block.text}</code>
        </pre>
      </figure>
    );
  return (
    <p class={`line ${block.kind}`} dir="auto">
      <Spans spans={block.spans} />
    </p>
  );
}

function Spans({ spans }: { spans: readonly Span[] }) {
  return (
    <>
      {spans.map(({ text, look }, index) =>
        look === 'code' ? (
          <code key={index}>{text}</code>
        ) : look === 'strong' ? (
          <strong key={index}>{text}</strong>
        ) : (
          text
        ),
      )}
    </>
  );
}

/** A label or a description: one line, with code and strong words. */
export function Words({ text }: { text: string }) {
  return (
    <bdi>
      <Spans spans={spansOf(visibleLabel(text))} />
    </bdi>
  );
}
