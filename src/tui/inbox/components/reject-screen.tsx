import { Box, Text } from 'ink';
import { type ReactElement, useContext } from 'react';
import type { OpenSet } from '../../../models/inbox/index.js';
import { type EditorState, layOutEditor } from '../../text-editor.js';
import type { Size } from '../../use-size.js';
import { wrapSpans } from '../../wrap.js';
import { BackTo } from './back-to.js';
import { EditorRows } from './editor-rows.js';
import { bodyRows, Frame } from './frame.js';
import { Lines } from './lines.js';
import { agentOf } from './list-screen.js';

const askKeysTo = (back: string) => [`l back to the ${back}, keep the draft`, 'n or Esc back', 'y reject'];
const REASON_KEYS = ['Ctrl+J new line', 'Esc back', 'Enter reject'];

/** Asks before a set is rejected, and for a reason if there is one. */
export function RejectScreen(props: {
  open: OpenSet;
  editor: EditorState | null;
  size: Size;
  notice: string | null;
}): ReactElement {
  const { open, editor, size, notice } = props;
  const back = useContext(BackTo);
  const text =
    editor === null
      ? 'The agent will be told that you rejected it. This cannot be undone.'
      : 'Why? The agent reads it. Leave it empty for no reason.';
  const lines = wrapSpans([{ text }], size.columns);
  return (
    <Frame
      size={size}
      title="Reject this question set?"
      aside={` ${agentOf(open.view)}, ${open.view.id.slice(0, 8)}`}
      notice={notice}
      keys={editor === null ? askKeysTo(back) : REASON_KEYS}
    >
      {editor === null ? (
        <Lines lines={lines} />
      ) : (
        <Box flexDirection="column">
          <Lines lines={lines.slice(0, Math.max(1, bodyRows(size) - 2))} />
          <EditorRows
            rows={layOutEditor(editor, size.columns - 2)}
            height={Math.max(1, bodyRows(size) - lines.length)}
          />
        </Box>
      )}
      {editor === null && open.rejectionReason !== '' ? (
        <Text dimColor>The reason you typed before is kept.</Text>
      ) : null}
    </Frame>
  );
}
