import { describe, expect, it } from 'vitest';
import { inOneLine } from './permission.js';

describe('a prompt in one line', () => {
  it.each([
    ['asks to use **Bash**:\n\n- command: `ls -l`\n\nDeny?', 'asks to use Bash: command: ls -l Deny?'],
    ['- command:\n\n```\n- rm x\necho **y**\n```', 'command: - rm x echo **y**'],
    ['in `~/api`:\n```sh\nsh x.sh\n```', 'in ~/api: sh x.sh'],
    ['``echo `id` ``', 'echo `id`'],
    ['a ` lone mark and a * star', 'a ` lone mark and a * star'],
    ['', ''],
  ])('%j is %j: marks and line breaks go, code stays as it is', (prompt, line) => {
    expect(inOneLine(prompt)).toBe(line);
  });
});
