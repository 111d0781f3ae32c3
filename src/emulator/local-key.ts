/**
 * The key that clients use if any key is accepted. It has the form of a key for a private server: a
 * prefix, a dash, and 40 letters or digits. Some clients refuse shorter keys.
 */
export const LOCAL_API_KEY = 'svtrain-local00000000000000000000000000000000000'
