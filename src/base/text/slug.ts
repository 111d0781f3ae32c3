/** Makes a name of lower-case words with dashes from a text: as many whole words as fit into `most` characters. */
export function slugOf(text: string, most: number): string {
  const words = text
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean)
  let name = ''
  for (const word of words) {
    const longer = name === '' ? word : `${name}-${word}`
    if (longer.length > most) break
    name = longer
  }
  return name
}
