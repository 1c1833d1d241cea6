import { describe, expect, it } from 'vitest';
import { actorIn, mcpActor } from './actor.js';

describe('an actor in a record', () => {
  it.each(['cli', 'inbox', 'library', 'auq', 'mcp:claude-code', 'page:phone', 'fleet:box/worker'])(
    'is known: %s',
    (actor) => {
      expect(actorIn(actor)).toBe(actor);
    },
  );

  it.each(['', 'mcp:', 'holdfast answer', 'CLI', 'somebody'])('is somebody outside: %j', (actor) => {
    expect(actorIn(actor)).toBe('outside');
  });

  it('has the name of an MCP client, cut if it is endless', () => {
    expect([mcpActor('claude-code'), mcpActor(undefined), mcpActor('')]).toEqual([
      'mcp:claude-code',
      'mcp:unknown',
      'mcp:unknown',
    ]);
    expect(mcpActor('x'.repeat(1_000))).toHaveLength(84);
  });
});
