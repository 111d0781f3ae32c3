/**
 * Measures text for yargs. The package that yargs loads by itself makes a segmenter and a list of all
 * emoji, which costs a quarter of the CPU time of `--help` and a tenth of that of a start.
 */
export { default } from 'fast-string-width'
