import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { type EditorState, layOutEditor } from '../../text-editor.js';
import type { OpenSet } from '../model.js';
import { EditorRows } from './editor-rows.js';
import { bodyRows, Frame, type Size } from './frame.js';

/** Asks before a set is rejected, and for a reason if there is one. */
export function RejectScreen(props: {
  open: OpenSet;
  editor: EditorState | null;
  size: Size;
  isBusy: boolean;
}): ReactElement {
  const { open, editor, size, isBusy } = props;
  return (
    <Frame
      size={size}
      title="Reject this question set?"
      aside={`  ${open.view.id.slice(0, 8)}`}
      notice={isBusy ? 'Sending …' : null}
      keys={
        editor === null
          ? 'y reject · n or Esc back · l back to the list, keep the draft'
          : 'Enter reject · Esc back · Ctrl+J new line'
      }
    >
      {editor === null ? (
        <Text>The agent is told that you rejected it. This cannot be undone.</Text>
      ) : (
        <Box flexDirection="column">
          <Text>Why? The agent reads it. Leave it empty for no reason.</Text>
          <EditorRows
            rows={layOutEditor(editor, size.columns - 4)}
            height={Math.max(1, bodyRows(size) - 1)}
          />
        </Box>
      )}
    </Frame>
  );
}
