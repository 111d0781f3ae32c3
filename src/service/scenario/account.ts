/** The user and team that a key belongs to. */
export interface Account {
  key: string
  user: string
  entity: string
}

/** The owner of all API keys that the scenario does not list. */
export const LOCAL_ACCOUNT = { user: 'local-user', entity: 'local-team' } as const
