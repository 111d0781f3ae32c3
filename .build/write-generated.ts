/** Writes what the source imports and the repository does not have. */
import { generate } from './generate.js'

await generate()
