import { headerLinesFit } from "../../guards/header-lines.ts";
import { Checks } from "../../http/guard.ts";
import type { Call } from "../../services.ts";
import { acceptsJson, dateCurrent, dateGiven, dateWellFormed } from "./checks/accept-and-date.ts";
import {
  authenticated,
  authorizationGiven,
  authorizationWellFormed,
  projectActive,
} from "./checks/authorization.ts";
import { contentLengthFits } from "./checks/content-length.ts";
import { boundaryNamed, contentTypeGiven, contentTypeIsMultipart } from "./checks/content-type.ts";
import { boundaryOccurs, fieldsKnown, imageGiven, imageOpens, imageSmallEnough } from "./checks/form.ts";
import { includeTargetDataValid, maxNumResultsValid } from "./checks/options.ts";

/** The table of protocol section 8, top to bottom. */
export const queryChecks = Checks.on<Call>()
  .checking(
    headerLinesFit, // 1
    contentLengthFits, // 2
    authorizationGiven, // 3
    authorizationWellFormed, // 4
  )
  .adding(authenticated) // 5: from here on the context has a database
  .checking(
    projectActive, // 6
    acceptsJson, // 7
    dateGiven, // 8
    dateWellFormed, // 9
    dateCurrent, // 10
    contentTypeGiven, // 11
    contentTypeIsMultipart, // 12
  )
  .adding(boundaryNamed) // 13: from here on it has the form's boundary
  .checking(boundaryOccurs) // 14
  .adding(fieldsKnown) // 15: from here on it has the form
  .adding(imageGiven) // 16: from here on it has the image
  .checking(
    imageOpens, // 17
    imageSmallEnough, // 18
  )
  .adding(maxNumResultsValid) // 19
  .adding(includeTargetDataValid); // 20
