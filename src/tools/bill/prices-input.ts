/** What a provider charges. The emulator has no prices of its own. */
export interface Prices {
  /** The name of the currency in letters, such as `usd`. */
  currency: string
  /**
   * Prices per million tokens, by the name of a model, or by a pattern such as `example/*`. The first one that the
   * model or its base model matches counts.
   */
  models: Record<string, { prompt: number; completion: number; trained?: number | undefined }>
  /** What is kept at the end costs this for one month. */
  storage?:
    | {
        /** The price of a GB for a month. */
        gb_month: number
        /** The size of a real checkpoint, such as `320MB`. Default: checkpoints cost nothing. */
        checkpoint?: string | undefined
      }
    | undefined
  /** The price of each hour in which a job runs. */
  training_hour?: number | undefined
}
