export { type ChatParty, type ChatView, describeContinuation } from './chat.js';
