/**
 * Measures text for yargs. The package that yargs would load creates a segmenter and a list of all emoji.
 * That takes a quarter of the CPU time of `--help`, and a tenth of the CPU time of a start.
 */
export { default } from 'fast-string-width'
