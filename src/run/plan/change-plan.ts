import { relative } from 'node:path';
import { timestamp } from '../../foundation/index.js';
import {
  ChangePlan,
  directoryOfChange,
  findChange,
  findProject,
  isComplete,
  placeOfChange,
  type Story,
  StoryNotFoundError,
} from '../../plans/index.js';
import { NoTasksError, type StoryContext } from '../../sessions/change/index.js';
import type { RunServices } from '../open/run-services.js';
import { changeCommands } from '../questions/told-commands.js';
import type { RunPlan } from './plan.js';

/**
 * An OpenSpec change as a plan: its stories one after the other. The change is held by a session with the id of the loop, so
 * a restart holds it again. Throws CHANGE_NOT_FOUND, PROJECT_NOT_FOUND, NO_TASKS.
 */
export function openChangePlan(services: RunServices, name: string): RunPlan {
  const { tools, workingDirectory } = services;
  const project = findProject(tools.fileSystem, workingDirectory);
  const changes = services.openChanges();
  const holder = changes.listChanges().find((one) => one.name === name)?.session ?? undefined;
  if (holder === undefined) findChange(tools.fileSystem, project, name);
  const since = holder?.createdAt ?? timestamp(services.clock);
  // An agent that has ticked its last task may archive the change while it is held.
  const files = () => {
    const place = placeOfChange(tools.fileSystem, project, name, since);
    return new ChangePlan(tools, project, place ?? findChange(tools.fileSystem, project, name));
  };
  const path = directoryOfChange(project, name);
  const stories = files().stories();
  const first = stories.find((story) => !isComplete(story)) ?? stories[0];
  if (first === undefined) throw new NoTasksError(name);
  const commands = changeCommands(services.self);
  let sessionId: string | undefined;
  const scope = () => ({ sessionId });
  const holds = (id: string) =>
    changes.listChanges().find((one) => one.name === name)?.session?.sessionId === id;
  return {
    path,
    criteriaCount: 0,
    story: {
      first: first.id,
      total: stories.length,
      all: stories.map(({ id, title }) => ({ id, title })),
    },
    environment: (id) => ({ RALPH_SESSION: id }),
    isTold: commands.isTold,
    async begin(id) {
      await changes.create(name, { sessionId: id });
      sessionId = id;
      await changes.nextStory(scope());
    },
    async assignment(state) {
      const storyId = state.currentStory ?? first.id;
      const context =
        sessionId === undefined
          ? previewOf(files(), storyId)
          : await changes.context({ ...scope(), storyId });
      const now = files().stories();
      const at = now.findIndex(({ id }) => id === storyId);
      return {
        title: `${name}: ${context.story.title}`,
        story: { number: at + 1, total: now.length, title: context.story.title },
        path: relative(project.root, files().change.directory),
        criteria: context.story.tasks.map(({ id, description, isDone }) => ({
          text: `${id} ${description}`,
          isDone,
        })),
        background: backgroundOf(context),
        howTo: commands.howTo,
      };
    },
    async progress(state) {
      const now = files().stories();
      const current = now.find(({ id }) => id === state.currentStory);
      return {
        tasks: countOf(current),
        nextStory: now.find((story) => isLeft(story, state.currentStory))?.id ?? null,
      };
    },
    async enterStory() {
      await changes.nextStory(scope());
    },
    async finish(id) {
      if (holds(id)) await changes.flush({ sessionId: id });
    },
  };
}

/** Releases the change that a run held. What it learned is kept. */
export async function releaseChangeOf(services: RunServices, sessionId: string): Promise<void> {
  const changes = services.openChanges();
  const held = changes.listChanges().find(({ session }) => session?.sessionId === sessionId);
  if (held !== undefined) await changes.release(held.name, 'the run was given up');
}

/** For a look ahead, before a session holds the change. */
function previewOf(
  files: ChangePlan,
  storyId: string,
): Pick<StoryContext, 'story' | 'proposal' | 'design' | 'scenarios' | 'learnings'> {
  const story = files.stories().find(({ id }) => id === storyId);
  if (story === undefined)
    throw new StoryNotFoundError(
      storyId,
      files.change.name,
      files.stories().map(({ id }) => id),
    );
  return {
    story,
    proposal: files.read('proposal.md') ?? '',
    design: files.read('design.md') ?? '',
    scenarios: files.scenarios(),
    learnings: [],
  };
}

function isLeft(story: Story, currentStory: string | null | undefined): boolean {
  return story.id !== currentStory && !isComplete(story);
}

function countOf(story: Story | undefined): { total: number; done: number } {
  const tasks = story?.tasks ?? [];
  return { total: tasks.length, done: tasks.filter(({ isDone }) => isDone).length };
}

function backgroundOf({
  proposal,
  design,
  scenarios,
  learnings,
}: Pick<StoryContext, 'proposal' | 'design' | 'scenarios' | 'learnings'>): string {
  const parts = [
    proposal === '' ? '' : `Proposal:\n\n${proposal.trim()}`,
    design === '' ? '' : `Design:\n\n${design.trim()}`,
    scenarios.length === 0
      ? ''
      : `Scenarios:\n${scenarios.map(({ name, capability }) => `- ${capability}: ${name}`).join('\n')}`,
    learnings.length === 0
      ? ''
      : `Learned in earlier stories:\n${learnings.map(({ description }) => `- ${description}`).join('\n')}`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
