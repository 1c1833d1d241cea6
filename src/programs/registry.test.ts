import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deadIdentity, pidOf, processFacts, until } from '../../test/support/processes.js';
import { markedPids, programTools } from '../../test/support/program-world.js';
import { RecordingLog } from '../../test/support/recording-log.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { tempDir } from '../../test/support/temp-dir.js';
import { MARKER_NAME } from './process-table.js';
import { ProgramRegistry } from './registry.js';

describe('orphans', () => {
  it('of a dead supervisor are ended, wherever they hide, and forgotten', async () => {
    await using dir = await tempDir();
    const identity = await deadIdentity();
    const registry = new ProgramRegistry({ ...storageTools(), identity }, dir.at('programs'));
    const marker = registry.announce('agent', new Date());
    const child = spawn('sh', ['-c', 'setsid sleep 1000 & sleep 1000'], {
      env: { ...process.env, [MARKER_NAME]: marker },
      detached: true,
    });
    await until(() => markedPids(marker).length >= 3);
    const { registry: next } = programTools(dir.at('programs'));
    expect(markedPids(marker)).toContain(next.leftBehindBy(identity)?.pid);
    expect(next.leftBehindBy(identity)?.command).toBe('agent');
    expect(next.leftBehindBy({ ...identity, startTime: '1' })).toBeNull();
    const report = programTools(dir.at('programs')).registry.endOrphans();
    expect(report.ended.length).toBeGreaterThanOrEqual(3);
    await until(() => markedPids(marker).length === 0);
    expect(next.leftBehindBy(identity)).toBeNull();
    expect(readdirSync(dir.at('programs'))).toEqual([]);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });

  it('of a living supervisor are left alone', async () => {
    await using dir = await tempDir();
    const { registry } = programTools(dir.at('programs'));
    const marker = registry.announce('agent', new Date());
    const child = spawn('sleep', ['1000'], {
      env: { ...process.env, [MARKER_NAME]: marker },
      detached: true,
    });
    await until(() => markedPids(marker).length === 1);
    expect(registry.endOrphans().ended).toEqual([]);
    expect(processFacts(pidOf(child))?.state).not.toBe('Z');
    expect(readdirSync(dir.at('programs'))).toEqual([`${marker}.json`]);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('never include a process without the marker, whatever a record says', async () => {
    await using dir = await tempDir();
    const registry = new ProgramRegistry(
      { ...storageTools(), identity: await deadIdentity() },
      dir.at('programs'),
    );
    registry.announce('agent', new Date());
    const foreign = spawn('sleep', ['1000'], { env: { ...process.env, [MARKER_NAME]: 'f'.repeat(32) } });
    await once(foreign, 'spawn');
    expect(programTools(dir.at('programs')).registry.endOrphans().ended).toEqual([]);
    expect(processFacts(pidOf(foreign))).toBeDefined();
    foreign.kill('SIGKILL');
    await once(foreign, 'exit');
  });

  it('are looked for even if another record cannot be read', async () => {
    await using dir = await tempDir();
    const { registry } = programTools(dir.at('programs'));
    registry.announce('agent', new Date());
    writeFileSync(dir.at('programs', `${'a'.repeat(32)}.json`), '{"marker":');
    expect(registry.endOrphans()).toEqual({ ended: [] });
  });

  it('whose record a full disk left empty cause no alarm: no process carries its marker', async () => {
    await using dir = await tempDir();
    const log = new RecordingLog();
    const registry = new ProgramRegistry(storageTools({ log }), dir.at('programs'));
    registry.announce('agent', new Date());
    const marker = 'b'.repeat(32);
    writeFileSync(dir.at('programs', `${marker}.json`), '');
    registry.endOrphans();
    expect(log.named('program.orphan-not-ended')).toEqual([]);
    const child = spawn('sleep', ['1000'], { env: { ...process.env, [MARKER_NAME]: marker } });
    await until(() => markedPids(marker).length === 1);
    registry.endOrphans();
    expect(log.named('program.orphan-not-ended')).toHaveLength(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('are recorded before they start, without a value of their environment', async () => {
    await using dir = await tempDir();
    const { registry } = programTools(dir.at('programs'));
    const marker = registry.announce('agent', new Date(0));
    const record = JSON.parse(readFileSync(dir.at('programs', `${marker}.json`), 'utf8'));
    expect(record).toEqual({
      version: 1,
      marker,
      command: 'agent',
      startedAt: '1970-01-01T00:00:00.000Z',
      supervisor: expect.objectContaining({ pid: process.pid }),
    });
  });
});
