// What `ask` needs of notices where a channel is configured: a file beside the commands that start often, not in them.
export { openNotices } from '../../open-notices.js';
