// The vocabulary of Weir: everything events, decisions and settings are made of.
#pragma once

#include "model/change.h"
#include "model/claim.h"
#include "model/decision.h"
#include "model/event.h"
#include "model/fingerprint.h"
#include "model/job.h"
#include "model/names.h"
#include "model/node.h"
#include "model/reason.h"
#include "model/service.h"
#include "model/settings.h"
#include "model/shape.h"
#include "model/step.h"
