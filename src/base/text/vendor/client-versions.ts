/** Clients that do not run with another package, as far as our matrix of versions shows. */
interface Conflict {
  readonly client: string
  /** The first version that runs again. */
  readonly before: string
  readonly other: string
  /** The first version of the other package with which it does not run. */
  readonly from: string
  readonly effect: string
  /** What to install. */
  readonly install: string
}

/** Measured with `npm run interop:matrix`: see docs/how-to/clients.md. */
export const CONFLICTS: readonly Conflict[] = [
  {
    client: 'openpipe-art',
    before: '0.5.18',
    other: 'openai',
    from: '2.31',
    effect: 'The client sends no key, and each call is answered with 401.',
    install: 'openai==2.30.0',
  },
  {
    client: 'openpipe-art',
    before: '0.5.20',
    other: 'openai',
    from: '3',
    effect: 'The client does not start.',
    install: 'openai==2.54.0',
  },
]

/** The oldest versions of clients with which our tests run. */
export const OLDEST_CLIENTS: Readonly<Record<string, string>> = {
  'openpipe-art': '0.5.0',
  wandb: '0.19.11',
}
