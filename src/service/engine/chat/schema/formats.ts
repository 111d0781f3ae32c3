/** Draws a text of a format. Undefined if the format is unknown. */
export function drawFormatted(format: string, random: () => number): string | undefined {
  if (!Object.hasOwn(FORMATS, format)) return undefined
  return FORMATS[format]!((from, to) => from + Math.floor(random() * (to - from + 1)))
}

/** Draws a whole number in a range. */
type Whole = (from: number, to: number) => number

const two = (value: number): string => String(value).padStart(2, '0')
const date = (whole: Whole): string =>
  `${whole(1990, 2030)}-${two(whole(1, 12))}-${two(whole(1, 28))}`
const time = (whole: Whole): string =>
  `${two(whole(0, 23))}:${two(whole(0, 59))}:${two(whole(0, 59))}Z`
const hex = (whole: Whole, length: number): string =>
  Array.from({ length }, () => whole(0, 15).toString(16)).join('')
const word = (whole: Whole): string =>
  Array.from({ length: whole(4, 8) }, () => String.fromCodePoint(whole(97, 122))).join('')
const uri = (whole: Whole): string => `https://${word(whole)}.example.com/${word(whole)}`
const email = (whole: Whole): string => `${word(whole)}@example.com`
const hostname = (whole: Whole): string => `${word(whole)}.example.com`

const FORMATS: Readonly<Record<string, (whole: Whole) => string>> = {
  'date-time': (whole) => `${date(whole)}T${time(whole)}`,
  date,
  time,
  duration: (whole) => `P${whole(1, 30)}DT${whole(1, 23)}H`,
  email,
  'idn-email': email,
  hostname,
  'idn-hostname': hostname,
  ipv4: (whole) => `192.0.2.${whole(1, 254)}`,
  ipv6: (whole) => `2001:db8::${whole(1, 0xffff).toString(16)}`,
  uri,
  iri: uri,
  url: uri,
  'uri-reference': (whole) => `/${word(whole)}`,
  'iri-reference': (whole) => `/${word(whole)}`,
  'uri-template': (whole) => `https://example.com/{${word(whole)}}`,
  uuid: (whole) =>
    `${hex(whole, 8)}-${hex(whole, 4)}-4${hex(whole, 3)}-${'89ab'[whole(0, 3)]}${hex(whole, 3)}-${hex(whole, 12)}`,
  'json-pointer': (whole) => `/${word(whole)}`,
  'relative-json-pointer': (whole) => `0/${word(whole)}`,
  regex: (whole) => `^${word(whole)}$`,
}
