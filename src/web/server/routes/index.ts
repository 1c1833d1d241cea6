import { deviceRoutes } from './devices.js';
import { liveRoutes } from './live.js';
import { pushRoutes } from './push.js';
import { questionRoutes } from './questions.js';
import { reportRoutes } from './report.js';
import type { Route } from './route.js';
import { runRoutes } from './runs.js';
import { sessionRoutes } from './sessions.js';

/** Every address of the API that needs a device. */
export const ROUTES: readonly Route[] = [
  ...liveRoutes,
  ...questionRoutes,
  ...runRoutes,
  ...reportRoutes,
  ...sessionRoutes,
  ...deviceRoutes,
  ...pushRoutes,
];
