/** Where cloud machines find what they are and the keys that they have. No other file has these names. */

/** Besides 169.254.0.0/16, where most of them are. */
export const METADATA_ADDRESSES = [
  // Amazon EC2 over IPv6.
  'fd00:ec2::254',
  // Google Compute Engine over IPv6.
  'fd20:ce::254',
  // Alibaba Cloud.
  '100.100.100.200',
  // Oracle Cloud Classic.
  '192.0.0.192',
  // The agent of Azure.
  '168.63.129.16',
] as const

/** Names that only a network of a cloud resolves. Another proxy may resolve them. */
export const METADATA_NAMES: readonly string[] = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]
