import { dirname } from 'node:path';
import { type Budget, LoopSessions } from '../sessions/loop/index.js';
import { findLoopDirectory } from '../storage/index.js';
import type { Services } from './services.js';

/** The loop of the project that the services work in. */
export function openLoops(services: Services): LoopSessions {
  const { config, tools } = services;
  const minutes = config.get('loop.maxMinutes');
  const budget: Budget = {
    ...positive('iterations', config.get('loop.maxIterations')),
    ...positive('activeMs', minutes * 60_000),
    ...positive('tokens', config.get('loop.maxTokens')),
    ...positive('costUsd', config.get('loop.maxCostUsd')),
  };
  return new LoopSessions({
    ...tools,
    directory: config.layout.loop,
    // Also where loop.dir moved the session: plans are named from the top of the project.
    projectDirectory: dirname(findLoopDirectory(tools.fileSystem, services.workingDirectory)),
    callsPerHour: config.get('loop.callsPerHour'),
    budget,
    phases: config.get('loop.phases'),
  });
}

/** 0 means no limit. */
function positive<Key extends string>(key: Key, value: number): { [Name in Key]?: number } {
  return (value > 0 ? { [key]: value } : {}) as { [Name in Key]?: number };
}
