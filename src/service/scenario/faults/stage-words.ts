/** When a fault happens, in words: the end of a name, and of a text. */
export const STAGE_WORDS = {
  before: ['', ''],
  after: ['-after', ' after the work is done'],
  mid_body: ['-half-way', ' after half of the answer'],
} as const
