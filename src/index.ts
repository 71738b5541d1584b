export { authorizationHeader, rfc1123Date, type SignedParts, type SigningKeys } from "./signing.ts";
