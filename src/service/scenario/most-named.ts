/** The limit for lists whose names are compared with each other: faults, webhooks, automations. */
export const MOST_NAMED = 1000
