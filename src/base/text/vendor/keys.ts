import { SDK_KEY } from './sdk-variables.js'

/** A variable that a client reads by itself, and that sends the client past the emulator. */
interface ClientsVariable {
  readonly name: string
  /** What it does to a command that inherits it. */
  readonly effect: string
  /** What the command gets once the variable is gone. */
  readonly instead: string
}

/** The variables that a command should not inherit. `docs/how-to/pytest.md` has the rule. */
export const CLIENTS_VARIABLES: readonly ClientsVariable[] = [
  {
    name: SDK_KEY,
    effect:
      'The command gets your key. A client that has no address of the emulator calls the real service with it.',
    instead: 'Then it gets a key of the emulator.',
  },
]

/** What keys with a prefix begin with, before `-` or `_`. */
const PREFIXES = [
  // Payments and models: https://docs.stripe.com/keys, https://huggingface.co/docs/hub/security-tokens
  '[spr]k',
  'hf',
  // Code: https://github.blog/changelog/2021-03-31-authentication-token-format-updates-are-generally-available
  // and https://docs.gitlab.com/security/tokens/
  'gh[opsu]',
  'github_pat',
  'glpat',
  // Chats: https://docs.slack.dev/authentication/tokens
  'xox[abprs]',
  // Webhooks: https://github.com/standard-webhooks/standard-webhooks
  'whsec',
  // A key that clients of the service may share with it: https://github.com/wandb/wandb/issues/11614
  String.raw`wandb_v\d`,
]

/** The shapes of keys that services issue. */
export const KEY_SHAPES: readonly RegExp[] = [
  new RegExp(String.raw`\b(?:${PREFIXES.join('|')})[-_][\w+/=-]{16,}`, 'g'),
  // Clouds: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html and
  // https://docs.cloud.google.com/docs/authentication/api-keys
  /\b(?:AKIA|ASIA|AIza)[\w-]{12,}/g,
  // An older form of the key above, and older tokens of code: 40 hexadecimal digits.
  /\b[\da-f]{40}\b/g,
]

/** The fewest characters of a key that clients accept. */
const SHORTEST_KEY = 40

/** A key of the same form as another one, that opens nothing. Undefined if no service issues keys of that form. */
export function keyLike(key: string): string | undefined {
  const [prefix] = /^wandb_v\d_/.exec(key) ?? (/^[\da-f]{40,}$/.test(key) ? [''] : [])
  return prefix?.padEnd(Math.max(key.length, SHORTEST_KEY), '0')
}
