/** Options without those that are undefined: these are not set. */
export function definedIn<Given extends object>(options: Given): Given {
  const defined = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined) as Given
}
