// A module that is imported for a while, and keeps nothing else busy.
await new Promise((resolve) => void setTimeout(resolve, 400).unref())
export const isLoaded = true
