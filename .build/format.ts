/** Formats generated files as `npm run format` would. */
import { format } from 'oxfmt'
import settings from '../.oxfmtrc.json' with { type: 'json' }

/** Returns the text of a file in the form that `npm run check` accepts. */
export async function formatted(file: string, text: string): Promise<string> {
  const { ignorePatterns: _, ...style } = settings
  const { code, errors } = await format(file, text, style as Parameters<typeof format>[2])
  if (errors.length > 0) throw new Error(`${file} was not formatted: ${errors[0]!.message}`)
  return code
}
