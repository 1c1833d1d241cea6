import { type ProjectTools, rememberProject } from '../../catalog/projects.js';
import type { Services } from '../services.js';

/** Remembers the project of a session that was started. */
export function remembering(services: Services): (project: string) => void {
  return (project) => rememberProject(projectTools(services), project);
}

export function projectTools({ tools, config }: Services): ProjectTools {
  return { ...tools, projects: config.layout.projects };
}
