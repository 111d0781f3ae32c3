/** Cuts off what a text has beyond `most` characters. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`
}

/** Writes a value as JSON in about `most` characters, for a message. */
export function shortJson(value: unknown, most = 80): string {
  return shortened(JSON.stringify(value), most)
}
