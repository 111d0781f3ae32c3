/** The variables that the SDK of runs and artifacts reads. */

/** Where it sends runs and artifacts. */
export const SDK_BASE_URL = 'WANDB_BASE_URL'

/** The variables with which clients of chats and runs find their service. Both APIs answer chats. */
export const ADDRESS_VARIABLES = [
  { name: SDK_BASE_URL, api: 'training' },
  { name: 'OPENAI_BASE_URL', path: '/v1' },
] as const

/** The key that it calls with. Clients of the training API read it, too. */
export const SDK_KEY = 'WANDB_API_KEY'

/** The key of clients of chats. Without it, such a client does not even begin: a judge, a teacher. */
export const CHAT_KEY = 'OPENAI_API_KEY'

/** What to do about a program that ends without it. */
export const WITHOUT_CHAT_KEY = `If it misses ${CHAT_KEY}: add --intercept documented --intercept inference=https://api.openai.com/v1. Then the emulator is its judge or its teacher, and sets a key. See: svtrain-emulator docs judge`

/** Whether it calls anybody: `online`, `offline` or `disabled`. */
export const SDK_MODE = 'WANDB_MODE'

/** What keeps it from other hosts, and from a part of the service that is not emulated. */
export const SDK_SETTINGS: Readonly<Record<string, string>> = {
  WANDB_ERROR_REPORTING: 'false',
  WANDB_DISABLE_WEAVE: 'true',
  // A program that traces its functions itself: they run untraced.
  WEAVE_DISABLED: 'true',
}

/**
 * What keeps other libraries of a program from hosts that are not intercepted. litellm, which asks judges, downloads a
 * price list at each start, and warns if it cannot.
 */
export const OFFLINE_SETTINGS: Readonly<Record<string, string>> = {
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
}
