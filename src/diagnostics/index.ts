export { type DemoOptions, runDemo } from './demo.js';
export { type ProbeOptions, type ProbeStep, probeAgent } from './probe-agent.js';
export { type PhaseReport, type RunReport, reportRun, type TestPoint } from './run-report.js';
