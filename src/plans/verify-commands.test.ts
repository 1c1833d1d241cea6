import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from '../storage/index.js';
import { guessVerifyCommands } from './verify-commands.js';

describe('the checks of a project', () => {
  it.each([
    ['Cargo.toml', '', ['cargo check', 'cargo clippy -- -D warnings'], 'cargo test'],
    ['package.json', '{"scripts":{"test":"x","lint":"y"}}', ['npm run lint'], 'npm test'],
    ['package.json', '{"scripts":{}}', [], ''],
    ['package.json', 'not JSON', [], ''],
    ['package.json', 'null', [], ''],
    ['setup.py', '', ['python -m mypy .'], 'python -m pytest'],
    ['go.mod', '', ['go vet ./...'], 'go test ./...'],
    ['README.md', '', [], ''],
  ])('are guessed from %s %s', async (name, content, checks, tests) => {
    await using dir = await tempDir();
    writeFileSync(dir.at(name), content);
    expect(guessVerifyCommands(nodeFileSystem, dir.path)).toEqual({ checks, tests });
  });
});
