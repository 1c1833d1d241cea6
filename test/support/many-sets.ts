import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Copies a pending set until there are this many; `Number 1` or `number-1?` in its text is counted up, as are the times. */
export function multiplySet(directory: string, id: string, count: number): void {
  const files = ['request.json', 'status.json'].map(
    (name) => [name, readFileSync(join(directory, id, name), 'utf8')] as const,
  );
  for (let number = 2; number <= count; number++) {
    const copy = randomUUID();
    mkdirSync(join(directory, copy), { mode: 0o700 });
    for (const [name, text] of files) {
      const written = text
        .replaceAll(id, copy)
        .replaceAll(/(?<=number[ -])1(?=[ ?])/gi, String(number))
        .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, (time) =>
          JSON.stringify(new Date(Date.parse(JSON.parse(time)) + number).toISOString()),
        );
      writeFileSync(join(directory, copy, name), written, { mode: 0o600 });
    }
  }
}
