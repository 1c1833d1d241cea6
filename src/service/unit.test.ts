import { describe, expect, it } from 'vitest';
import { readUnit } from '../../test/support/service-world.js';
import { isOurs, unitText } from './unit.js';

const PLACES = [
  '/usr/bin/node',
  '/home/some body/bin/node',
  '/opt/100%/50%%h/$HOME/$x/node',
  '/opt/"quoted"/\'single\'/back\\slash/node',
  '/opt/new\nline\ttab/ümlaut/日本/node',
  '/opt/;/ # /node',
];

describe('unitText', () => {
  it.each(PLACES)('gives %j back unchanged, as program, as argument and as a variable', (place) => {
    const text = unitText({
      command: [place, place, 'service', 'run'],
      environment: { HOLDFAST_HOME: place },
    });
    // systemd accepts no program with such a name.
    const before = /["'\\\n]/.test(place) ? ['/usr/bin/env'] : [];
    expect(readUnit(text)).toEqual({
      command: [...before, place, place, 'service', 'run'],
      environment: { HOLDFAST_HOME: place },
    });
    expect(text.split('\n').filter((line) => line.startsWith('ExecStart='))).toHaveLength(1);
  });

  it('spares the runs that it started, and is started again only if it was killed', () => {
    const text = unitText({ command: ['/usr/bin/node'], environment: {} });
    expect(text).toContain('\nKillMode=process\n');
    expect(text).toContain('\nRestart=on-abnormal\n');
    expect(text).not.toContain('Environment=');
  });

  it('knows its own', () => {
    expect(isOurs(unitText({ command: ['/usr/bin/node'], environment: {} }))).toBe(true);
    expect(isOurs('[Service]\n# Written by `holdfast service install`\n')).toBe(false);
    expect(isOurs('')).toBe(false);
  });
});
