// Tests know what they asked for.
// oxlint-disable-next-line typescript/no-explicit-any
type Data = any

/** The data of server-sent events, in order. `[DONE]` stays a text. */
export function dataIn(text: string): Data[] {
  return eventsIn(text).map(({ data }) => data)
}

/** Server-sent events, with their names. */
export function eventsIn(text: string): { event: string | undefined; data: Data }[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [, event] = /^event: (.*)$/m.exec(block) ?? []
      const [, data] = /^data: (.*)$/m.exec(block)!
      return { event, data: data === '[DONE]' ? data : JSON.parse(data!) }
    })
}
