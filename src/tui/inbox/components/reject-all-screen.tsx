import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { InboxState } from '../../../models/inbox/index.js';
import { type EditorState, layOutEditor } from '../../text-editor.js';
import type { Size } from '../../use-size.js';
import { wrapSpans } from '../../wrap.js';
import { EditorRows } from './editor-rows.js';
import { bodyRows, Frame } from './frame.js';
import { Lines } from './lines.js';

/** Asks before every listed set is rejected, and for the reason that each of them gets. */
export function RejectAllScreen(props: {
  screen: Extract<InboxState['screen'], { name: 'reject-all' }>;
  editor: EditorState | null;
  size: Size;
  notice: string | null;
}): ReactElement {
  const { screen, editor, size, notice } = props;
  const count = screen.ids.length;
  const many = count === 1 ? 'this question set' : `all ${count} question sets on the list`;
  const text =
    editor === null
      ? `Every agent that asked will be told that you rejected it. This cannot be undone.`
      : 'Why? Every agent reads it. Leave it empty for no reason.';
  const lines = wrapSpans([{ text }], size.columns);
  return (
    <Frame
      size={size}
      title={`Reject ${many}?`}
      aside=""
      notice={notice}
      keys={editor === null ? ['n or Esc back', 'y reject'] : ['Ctrl+J new line', 'Esc back', 'Enter reject']}
    >
      <Box flexDirection="column">
        <Lines lines={lines.slice(0, Math.max(1, bodyRows(size) - 2))} />
        {editor === null ? null : (
          <EditorRows
            rows={layOutEditor(editor, size.columns - 2)}
            height={Math.max(1, bodyRows(size) - lines.length)}
          />
        )}
      </Box>
    </Frame>
  );
}
