export { type DemoOptions, runDemo } from './demo.js';
export { type ProbeOptions, type ProbeStep, probeAgent } from './probe-agent.js';
