/** The wanted name, or the first one with a number that is free: `receiver-2` with the mark `-`. */
export function firstFree(
  wanted: string,
  mark: '-' | '_',
  isTaken: (name: string) => boolean,
): string {
  let name = wanted
  for (let number = 2; isTaken(name); number++) name = wanted + mark + number
  return name
}
