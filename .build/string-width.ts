/** Measures text for yargs. The library that it uses builds a list of all emoji at every start. */
export { default } from 'fast-string-width'
