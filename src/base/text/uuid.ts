/** Matches a UUID in lower case, anywhere in a text. */
export const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/
