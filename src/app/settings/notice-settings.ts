import * as z from 'zod';
import { CHANNEL_NAME, NOTICE_KINDS, parseQuietHours } from '../../notices/settings.js';

const SECRET_WORDS =
  'must say where the secret is, env:NAME or file:/path; the secret itself does not belong in this file';
const SecretPlace = z
  .string()
  .regex(/^(env:[A-Za-z_][A-Za-z0-9_]{0,127}|file:(\/|~\/).{1,4000})$/, SECRET_WORDS);
const Address = z
  .string()
  .max(2_000)
  .regex(
    /^https?:\/\/[^\s/@]+(\/[^\s@]*)?$/,
    'must begin with https:// or http://, and hold no user or password',
  );
/** `test` is not an event. */
const Events = z.array(z.enum(NOTICE_KINDS.filter((kind) => kind !== 'test')));

const OF_EVERY_CHANNEL = {
  events: Events.optional(),
  afterMinutes: z
    .number()
    .nonnegative()
    .max(7 * 24 * 60)
    .optional(),
  text: z.boolean().optional(),
  inQuietHours: z.boolean().optional(),
};

const Channel = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('terminal'), title: z.boolean().optional(), ...OF_EVERY_CHANNEL }),
  z.strictObject({ type: z.literal('desktop'), ...OF_EVERY_CHANNEL }),
  z.strictObject({
    type: z.literal('ntfy'),
    url: Address,
    topic: SecretPlace,
    token: SecretPlace.optional(),
    ...OF_EVERY_CHANNEL,
  }),
  z.strictObject({
    type: z.literal('gotify'),
    url: Address,
    token: SecretPlace,
    clientToken: SecretPlace.optional(),
    ...OF_EVERY_CHANNEL,
  }),
  z
    .strictObject({
      type: z.literal('webhook'),
      url: z.union(
        [Address, SecretPlace],
        'must begin with https:// or http:// and hold no user or password, or say env:NAME or file:/path',
      ),
      secret: SecretPlace.optional(),
      template: z.enum(['json', 'slack', 'discord']).optional(),
      ...OF_EVERY_CHANNEL,
    })
    .superRefine(({ url, secret, template = 'json' }, context) => {
      if (template === 'json' && secret === undefined)
        context.addIssue({
          code: 'custom',
          path: ['secret'],
          message: 'is missing: a webhook is signed with it',
        });
      if (template !== 'json' && !/^(env|file):/.test(url))
        context.addIssue({ code: 'custom', path: ['url'], message: SECRET_WORDS });
    }),
  z.strictObject({
    type: z.literal('command'),
    command: z
      .array(z.string().regex(/^[^\0]*$/, 'must hold no NUL'))
      .min(1)
      .max(100),
    ...OF_EVERY_CHANNEL,
  }),
]);

/** `notices.channels` in `config.json`. */
export const ChannelMap = z.record(
  z.string().regex(CHANNEL_NAME, 'lower-case letters, digits and dashes only, 32 at most'),
  Channel,
);

/** `notices.push`: the same for every device that asked for notices on the page. */
export const PushMap = z.strictObject({
  services: z
    .array(
      z
        .string()
        .regex(/^\.?[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be the name of a host, such as push.example.org'),
    )
    .max(20)
    .optional(),
  contact: z
    .string()
    .max(200)
    .regex(
      /^(mailto:[^\s@<>]+@[^\s@<>]+|https:\/\/[^\s<>]+)$/,
      'must be mailto:you@example.org or an https address',
    )
    .optional(),
  ...OF_EVERY_CHANNEL,
});

/** `notices.quietHours`. */
export const QuietHoursText = z
  .string()
  .refine(
    (words) => parseQuietHours(words) !== undefined,
    'must be two times of the day, such as 22:00-07:00',
  );
