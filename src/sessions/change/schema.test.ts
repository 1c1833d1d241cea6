import { describe, expect, it } from 'vitest';
import { readBy } from '../../../test/support/records.js';
import { SessionFile } from './schema.js';

const FILE = {
  session_id: 's1',
  change_name: 'add-login',
  current_story_id: '1',
  created_at: '2026-11-15T08:00:00.000Z',
  accumulated_learnings: [
    {
      description: 'd',
      task_id: '1.1',
      story_id: null,
      timestamp: '2026-11-15T09:00:00+01:00',
      mood: 'good',
    },
  ],
  completed_tasks: ['1.1'],
  version: 1,
  updated_at: '2026-11-15T08:30:00.000Z',
  project: '/project',
  status: 'released',
  flushed_learnings: 0,
  flush: { block: 'b', count_before: 0, up_to: 1 },
  ended_at: '2026-11-15T08:30:00.000Z',
  release_reason: 'why',
  other: { kept: [1] },
};

const step = (part: string) => (/^\d+$/.test(part) ? Number(part) : part);

describe('the state file', () => {
  it('comes out as it went in, unknown keys included', () => {
    expect(SessionFile.toDisk(SessionFile.fromDisk(FILE))).toEqual(FILE);
  });

  it('needs only the published keys and its project', () => {
    const { session_id, change_name, created_at, accumulated_learnings, completed_tasks, project } = FILE;
    const least = { session_id, change_name, created_at, accumulated_learnings, completed_tasks, project };
    expect(SessionFile.fromDisk(least)).toMatchObject({
      version: 1,
      currentStoryId: null,
      updatedAt: created_at,
      status: 'active',
      flushedLearnings: 0,
      flush: null,
      endedAt: null,
    });
  });

  it.each([
    ['', 'text'],
    ['', null],
    ['', []],
    ['session_id', { ...FILE, session_id: '../x' }],
    ['session_id', { ...FILE, session_id: undefined }],
    ['created_at', { ...FILE, created_at: 'yesterday' }],
    ['created_at', { ...FILE, created_at: '2026-99-99T00:00:00Z' }],
    ['current_story_id', { ...FILE, current_story_id: 1 }],
    ['accumulated_learnings', { ...FILE, accumulated_learnings: {} }],
    ['accumulated_learnings.0', { ...FILE, accumulated_learnings: ['x'] }],
    [
      'accumulated_learnings.1.timestamp',
      { ...FILE, accumulated_learnings: [...FILE.accumulated_learnings, { description: 'x' }] },
    ],
    ['completed_tasks.0', { ...FILE, completed_tasks: [1] }],
    ['version', { ...FILE, version: 1.5 }],
    ['status', { ...FILE, status: 'lost' }],
    ['flushed_learnings', { ...FILE, flushed_learnings: -1 }],
    ['flush.up_to', { ...FILE, flush: { block: 'b', count_before: 0 } }],
  ])('that is wrong at %j is refused there', (place, file) => {
    expect(readBy<unknown>(SessionFile, file)).toMatchObject({
      path: place === '' ? [] : place.split('.').map(step),
    });
  });
});
