import { counted, HoldfastError, visibleExcerpt } from '../../foundation/index.js';

/** The request names a host that this server is not. */
export class WrongHostError extends HoldfastError<'WRONG_HOST'> {
  readonly code = 'WRONG_HOST';

  constructor(host: string | undefined) {
    super(
      `This server does not answer ${host === undefined ? 'requests without a host' : `for ${visibleExcerpt(host, 80)}`}`,
      {
        hint: 'Open the link that `holdfast web` or `holdfast web link` prints; declare another name or a proxy with --behind.',
      },
    );
  }
}

/** The request comes from another page. */
export class ForeignOriginError extends HoldfastError<'FOREIGN_ORIGIN'> {
  readonly code = 'FOREIGN_ORIGIN';

  constructor(reason: string) {
    super(`The request was refused: ${reason}`);
  }
}

/** The sender is not signed in. */
export class NotSignedInError extends HoldfastError<'NOT_SIGNED_IN'> {
  readonly code = 'NOT_SIGNED_IN';

  constructor() {
    super('This browser is not signed in', { hint: 'Make a new link with `holdfast web link` and open it.' });
  }
}

/** The cookie without the key of the page, or the key without the cookie, or those of two devices. */
export class KeyRefusedError extends HoldfastError<'KEY_REFUSED'> {
  readonly code = 'KEY_REFUSED';

  constructor() {
    super("The cookie and the page's key do not belong together", {
      hint: 'Sign in again: make a new link with `holdfast web link` and open it.',
    });
  }
}

/** The code of a link is wrong, was used, or is too old. */
export class CodeRefusedError extends HoldfastError<'CODE_REFUSED'> {
  readonly code = 'CODE_REFUSED';

  constructor() {
    super(
      'This link is not valid: it is wrong, was used, was replaced by a newer one, or is over two minutes old',
      {
        hint: 'Make a new link with `holdfast web link` and open it.',
      },
    );
  }
}

/** The typed code is wrong, was used, or is too old. */
export class PairCodeRefusedError extends HoldfastError<'CODE_REFUSED'> {
  readonly code = 'CODE_REFUSED';

  constructor() {
    super('This code is not valid: it is wrong, was used or tried too often, or is over two minutes old', {
      hint: 'Make a new code with `holdfast web pair` and type it.',
    });
  }
}

/** A device asked to be paired, but was not. */
export class NotPairedError extends HoldfastError<'NOT_PAIRED'> {
  readonly code = 'NOT_PAIRED';

  constructor(reason: string) {
    super(`No device was paired: ${reason}`, { hint: 'Make a new code with `holdfast web pair`.' });
  }
}

/** The device is not allowed to do this. */
export class NotAllowedError extends HoldfastError<'NOT_ALLOWED'> {
  readonly code = 'NOT_ALLOWED';

  constructor(what: string, needed: string) {
    super(`${what} needs a device that can ${needed}`, {
      hint: `Make a link that can: \`holdfast web link --can ${needed}\`.`,
    });
  }
}

/** A permission can only be allowed by a person who has seen all of it. */
export class NotWholeError extends HoldfastError<'NOT_WHOLE'> {
  readonly code = 'NOT_WHOLE';

  constructor() {
    super('Nothing was allowed: all of the request must have been on the screen');
  }
}

/** A decision for another machine could not be stored: the fleet's database is unreachable. */
export class NotStoredError extends HoldfastError<'NOT_STORED'> {
  readonly code = 'NOT_STORED';

  constructor(cause: Error) {
    super(`Not stored: ${cause.message}`, {
      cause,
      hint: 'Nothing was sent, and your draft is kept. Send it again when the database is back.',
    });
  }
}

/** There is nothing at this address. */
export class NoSuchAddressError extends HoldfastError<'NO_SUCH_ADDRESS'> {
  readonly code = 'NO_SUCH_ADDRESS';

  constructor() {
    super('There is nothing at this address');
  }
}

/** The body is larger than any request of the page. */
export class BodyTooLargeError extends HoldfastError<'BODY_TOO_LARGE'> {
  readonly code = 'BODY_TOO_LARGE';

  constructor(maxBytes: number) {
    super(`The request is larger than ${maxBytes} bytes`);
  }
}

/** The body is not declared to be JSON. */
export class NotJsonError extends HoldfastError<'NOT_JSON'> {
  readonly code = 'NOT_JSON';

  constructor() {
    super('The request must be application/json');
  }
}

/** The export is too long to be sent as one text. */
export class ExportTooLargeError extends HoldfastError<'EXPORT_TOO_LARGE'> {
  readonly code = 'EXPORT_TOO_LARGE';

  constructor(id: string) {
    super('This conversation is too long to be exported through the page', {
      hint: `In a terminal: \`holdfast sessions export ${visibleExcerpt(id, 80)} --output <file>\`.`,
    });
  }
}

/** Too much in too little time. */
export class TooManyRequestsError extends HoldfastError<'TOO_MANY_REQUESTS'> {
  readonly code = 'TOO_MANY_REQUESTS';

  constructor(what: string) {
    super(`Too many ${what}; wait a minute`);
  }
}

/** Another program now has the page's usual port and may learn what browsers keep for it. */
export class PortTakenError extends HoldfastError<'PORT_TAKEN'> {
  readonly code = 'PORT_TAKEN';

  constructor(port: number, owner: string | { readonly server: number } | undefined, revoked: number | null) {
    const isOurs = typeof owner === 'object';
    const who = isOurs
      ? `another \`holdfast web\` (process ${owner.server})`
      : visibleExcerpt(owner ?? 'another program', 200);
    const why =
      revoked === null
        ? ''
        : ` It was the port of the page, so that program may know what browsers keep for it: ${revoked === 0 ? 'no device was signed in' : `${counted(revoked, 'device')} signed out`}`;
    super(`Port ${port} is taken by ${who}.${why}`, {
      hint: isOurs
        ? '`holdfast web link` signs in another browser there; `holdfast web stop` ends it.'
        : 'End that program and start again, or take another port for good: `holdfast web --port <port>`.',
    });
  }
}

/** Another server listens on the socket. */
export class SocketTakenError extends HoldfastError<'PORT_TAKEN'> {
  readonly code = 'PORT_TAKEN';

  constructor(path: string) {
    super(`Another server already listens on ${visibleExcerpt(path, 200)}`, {
      hint: 'If it is yours: `holdfast web link` signs in another browser there, `holdfast web stop` ends it. Or take another path.',
    });
  }
}

/** An address beyond this machine without what would make it safe. */
export class BindRefusedError extends HoldfastError<'BIND_REFUSED'> {
  readonly code = 'BIND_REFUSED';
}

/** A link was requested where there is no person. */
export class LinkRefusedError extends HoldfastError<'LINK_REFUSED'> {
  readonly code = 'LINK_REFUSED';

  constructor(reason: string) {
    super(`No link is made here: ${reason}`, {
      hint: 'A link lets its holder answer for you. Make it in a terminal of your own: `holdfast web link`.',
    });
  }
}

/** No server of the page is running. */
export class WebNotRunningError extends HoldfastError<'WEB_NOT_RUNNING'> {
  readonly code = 'WEB_NOT_RUNNING';

  constructor() {
    super('The page is not being served', { hint: 'Start it: `holdfast web`, or `holdfast web --detach`.' });
  }
}

/** There is no such device. */
export class DeviceNotFoundError extends HoldfastError<'DEVICE_NOT_FOUND'> {
  readonly code = 'DEVICE_NOT_FOUND';

  constructor(typed: string) {
    super(`There is no device ${visibleExcerpt(typed, 80)}`, {
      hint: 'See them with `holdfast web devices`.',
    });
  }
}
