import type { Draw } from '../../support/draw.js'

/** A request that the emulator and the framework are both asked. */
export interface GeneratedRequest {
  category: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
  /** Stands for a body that is not text. */
  base64?: string
}

export type Recipe = (draw: Draw) => Omit<GeneratedRequest, 'category'>

export const KEY = { authorization: 'Bearer k' }
export const JSON_TYPE = { ...KEY, 'content-type': 'application/json' }

/** How many requests of each kind, and how they are made. */
export type Categories = Readonly<Record<string, { count: number; recipe: Recipe }>>
