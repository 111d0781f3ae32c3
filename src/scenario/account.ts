/** Who a key belongs to. */
export interface Account {
  key: string
  user: string
  entity: string
}

/** The owner of every key that the scenario gives to nobody else. */
export const LOCAL_ACCOUNT = { user: 'local-user', entity: 'local-team' } as const
