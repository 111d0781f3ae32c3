/** What yargs asks for; its usual choice makes a segmenter and a list of all emoji at every start. */
export { default } from 'fast-string-width'
