// What the composition needs of Web Push; loaded only if a device has asked for it.
export { areBrowserKeys, type BrowserKeys } from './encrypt.js';
export { endpointFault, type PushServices } from './endpoint.js';
export { pushChannel } from './push.js';
export {
  dropSubscription,
  keepSubscription,
  listSubscriptions,
  type Subscription,
  subscriptionOf,
} from './subscriptions.js';
export { vapidKeys } from './vapid.js';
