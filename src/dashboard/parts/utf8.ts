/** Whether bytes are UTF-8. A replacement character in their text does not say it: it may have been sent. */
export function isUtf8(base64: string): boolean {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
