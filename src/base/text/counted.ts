/** Formats a count with a noun: `1 group`, `2 groups`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
