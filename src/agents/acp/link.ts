import type { Clock } from '../../foundation/index.js';
import { type Program, type ProgramSpec, type ProgramTools, startProgram } from '../../programs/index.js';
import { describeExit } from '../describe-exit.js';
import { LATE, within } from '../time-limit.js';
import type { Incoming } from './incoming.js';
import { connectPeer, type Peer } from './peer.js';
import { Wire } from './wire.js';

/** How long an agent that no longer talks may take to exit on its own. */
const LAST_BREATH_MS = 1_000;

/** A started agent, and the protocol over its pipes. */
export interface AcpLink {
  readonly program: Program;
  readonly peer: Peer;
}

/** Starts the program and connects. When it ends, or closes its output, every open request is rejected. */
export async function openLink(
  tools: ProgramTools,
  spec: Omit<ProgramSpec, 'input' | 'onLine' | 'onOversizedLine' | 'onOutputEnd'>,
  incoming: Incoming,
): Promise<AcpLink> {
  let program: Program | undefined;
  const wire = new Wire({
    write: async (line) => program?.writeLine(line),
    onUpdate: (params) => incoming.onUpdate(params),
    onNoise: (line) => incoming.onNoise(line),
  });
  const peer = await connectPeer(wire.stream, incoming);
  program = await startProgram(tools, {
    ...spec,
    isAgent: true,
    input: 'open',
    onLine: (line) => wire.receive(line),
    onOversizedLine: ({ bytes }) => incoming.onNoise(`(${bytes} bytes)`),
    onOutputEnd: () => wire.close(),
  });
  void cleanUpAfter(program, wire);
  return { program, peer };
}

async function cleanUpAfter(program: Program, wire: Wire): Promise<void> {
  await program.exited;
  wire.close();
  // Its tools may have outlived it.
  await program.stop({ graceMs: 0, termMs: 0 });
}

/** Ends an agent that no longer talks and says what became of it. A process without a connection is useless. */
export async function bury(clock: Clock, program: Program): Promise<string> {
  const hasLeft = (await within(clock, LAST_BREATH_MS, program.exited)) !== LATE;
  const exit = await program.stop({ graceMs: 0, termMs: 0 });
  return hasLeft ? describeExit(exit) : 'closed its output and was killed';
}
