/** The names of other services that our code needs: no other file has them. */

/** A variable that a client reads by itself, and that sends the client past the emulator. */
interface ClientsVariable {
  readonly name: string
  /** What the client does with it. */
  readonly effect: string
  /** What the client needs once the variable is gone. */
  readonly instead: string
}

/**
 * The variables that must not be set. An empty one does not count. `docs/python.md` has the rule, and
 * `test/interop/troubleshooting.test.ts` shows the failure with a real client.
 */
export const CLIENTS_VARIABLES: readonly ClientsVariable[] = [
  {
    name: 'WANDB_API_KEY',
    effect:
      'A client that finds it calls other servers with it after each job, or fails there although the job went well.',
    instead: 'Then pass the value of SVTRAIN_API_KEY to the client as its key.',
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
